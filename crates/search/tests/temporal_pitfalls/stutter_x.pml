// p: violated, violated, violated
byte x,y;
active proctype A(){ byte i; do :: i=1; x=1; i=0; x=0 od }
active proctype B(){ byte j; do :: j=1; y=1; j = 0; y=0 od }
ltl p { <>(x==1 && y==1) }
