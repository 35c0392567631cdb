byte x;
active proctype P() { x = 1 }
never { accept1: do :: np_ od }
