// error: line 6: `2147483648` is too large
int x;
active proctype P() {
  x = -2147483648;
  x = 1 + -2147483648;
  x = 1 - 2147483648
}
