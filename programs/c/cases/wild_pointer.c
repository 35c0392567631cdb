// expect verdict=violated kind=wild-pointer line=4
int main(void) {
  int *volatile p = (int *)0x123456789000;
  return *p;
}
