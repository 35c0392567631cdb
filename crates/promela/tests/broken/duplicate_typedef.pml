// error: line 3: type `T` is declared twice
typedef T { byte a };
typedef T { byte b };
T t;
active proctype P() { skip }
