// error: line 5: the structure is too large
typedef T0 { int a[100] };
typedef T1 { T0 a[100] };
typedef T2 { T1 a[100] };
typedef T3 { T2 a[100] };
typedef T4 { T3 a[100] };
T4 y;
init { T4 z; y.a[1].a[1].a[1].a[1].a[1] = 1; z.a[0].a[0].a[0].a[0].a[0] = y.a[1].a[1].a[1].a[1].a[1] }
