// A global that is an argument of an inline counts as read, whatever the inline does with it.
byte passed, alone;
inline put(v) { v = 1 }
active proctype A() { if :: put(passed) :: alone = 1 fi; alone = 2 }
