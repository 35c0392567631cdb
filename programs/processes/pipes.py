# Two workers write results to one pipe; the parent expects them in the order in which it has forked, which is wrong.
import os

import vs

read, write = os.pipe()
children = []
for i in range(2):
    pid = os.fork()
    if pid == 0:
        os.close(read)
        os.write(write, b"%d" % i)
        os._exit(0)
    children.append(pid)
os.close(write)
got = b""
while True:
    piece = os.read(read, 10)
    if not piece:
        break
    got += piece
for child in children:
    os.waitpid(child, 0)
vs.check(got == b"01")
