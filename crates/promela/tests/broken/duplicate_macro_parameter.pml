// error: line 2: two parameters of the macro are named `a`
#define F(a, a) a
active proctype P() { skip }
