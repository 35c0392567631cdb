// expect exit=2
int *nowhere;
struct Early { Early() { *nowhere = 1; } } early;
int main() {}
