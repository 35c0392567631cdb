chan c = [2] of { byte };
byte x;
active proctype S() { do :: c!1 od }
active proctype R() { do :: c?x; x = 0 od }
never { do :: true :: len(c) == 2 -> goto accept od; accept: do :: len(c) > 0 od }
