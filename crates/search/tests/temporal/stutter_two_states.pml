byte x;
active proctype A() { x = 1 }
never { S0: if :: x == 1 -> goto accept1 :: true -> goto S0 fi; accept1: if :: x == 1 -> goto S2 fi; S2: if :: x == 1 -> goto accept1 fi }
