byte x;
active proctype P() { x = 1; x == 2 }
never { accept1: do :: np_ od }
