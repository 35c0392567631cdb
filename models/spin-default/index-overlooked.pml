// SPIN does not look into indices: an element of a local array is local whatever the index reads.
byte g;
active proctype A() { byte a[3], x; x = 1; a[g] = 1; x = x + 1; a[g] = 2; g = a[0] + x }
active proctype B() { g = 1; g = 2 }
