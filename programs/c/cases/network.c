// expect verdict=inconclusive kind=unsupported mentions=socket
#include <sys/socket.h>
int main(void) { return socket(AF_INET, SOCK_STREAM, 0); }
