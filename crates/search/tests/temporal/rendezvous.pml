chan c = [0] of { byte };
byte x;
active proctype S() { do :: c!1 :: c!2 od }
active proctype R() { do :: c?x od }
never { do :: true :: x == 1 -> goto accept od; accept: do :: x == 1 od }
