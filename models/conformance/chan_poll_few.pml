chan c=[2] of {byte, byte}; byte x; active proctype S() { c!3,7; c!4,8 } active proctype R() { do :: c?[3] -> x = 1; c?3,_ :: c?[4] -> x = 2; break :: c??[4] -> x = 3 :: c?[5] -> assert(0) od }
