# held.pl -- a method that is a program (docs/how_to/method_as_program.md) and returns its start, but waits while there is a file `hold`: however
# quick the processor, a sweep with it is not over before a test has killed it.
binmode STDIN; binmode STDOUT; $| = 1;
read(STDIN, my $head, 16) == 16 or exit 1;
my ($code, $length, $count) = unpack 'VVQ<', $head;
read STDIN, my $numbers, 8 * $count; # those that have names, then the start
read STDIN, my $names, $length;
my @names = split /\n/, $names;
select undef, undef, undef, 0.02 while -e 'hold';
print pack('VVQ<', 0, 0, $count - @names), substr $numbers, 8 * @names;
