byte x;
active proctype P() { x = 1 }
never { do :: np_ -> break :: 1 od; accept1: do :: np_ od }
