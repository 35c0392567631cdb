// A receive resets what it reads last, and what it writes and nobody reads. A send resets nothing.
chan c = [2] of { byte, byte };
active proctype A() {
  byte x, y, z;
  if :: x = 1 :: x = 2 fi;
  c!1, 7;
  c?eval(1), y;
  if :: z = 1 :: z = 2 fi;
  c!z, 8;
  c?eval(z), y
}
