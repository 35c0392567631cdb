# Adds a number to a file under a lock, and checks that nobody else was there.
use Fcntl qw(:flock SEEK_SET);
open(my $file, '+<', '/shared/sum') or open($file, '+>', '/shared/sum') or die;
flock($file, LOCK_EX) or die;
mkdir '/shared/critical' or syscall(0x5654, 0);
rmdir '/shared/critical';
close($file);
