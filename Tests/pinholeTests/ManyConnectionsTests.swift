import Console
import Foundation
import Testing

@Suite("Very many connections to the control socket")
struct ManyConnectionsTests {
    /// A client that opens 1,000 connections, asks something on each, presses the button on one that was let in, and
    /// keeps all of them open meanwhile. A program of its own: the descriptors are not to be those of the other tests.
    private static let client = #"""
        use strict;
        use Socket;
        use IO::Handle;
        use IO::Select;
        my ($path, $camera, $wanted) = @ARGV;
        my (@waiting, @open, %said);
        for (1 .. $wanted) {
            socket(my $client, AF_UNIX, SOCK_STREAM, 0) or die "socket: $!";
            $client->blocking(0);
            push @waiting, $client;
        }
        my $end = time + 60;
        sub receive {
            for my $client (IO::Select->new(@open)->can_read($_[0])) {
                my $count = sysread($client, my $bytes, 65536);
                next if !defined $count && $!{EAGAIN};
                # What was sent to a camera that refuses is never read there: a reset, after all that it said.
                die "read: $!" if !defined $count && !$!{ECONNRESET};
                $said{$client} .= $count ? $bytes : "GONE";
                @open = grep { $_ != $client } @open if !$count;
            }
        }
        while (@waiting) {
            die scalar(@waiting) . " never got in" if time > $end;
            # EAGAIN: the kernel's queue is full, and the client waits.
            my @in = grep { connect($_, sockaddr_un($path)) or !$!{EAGAIN} && die "connect: $!" } @waiting;
            my %in = map { $_ => 1 } @in;
            @waiting = grep { !$in{$_} } @waiting;
            # A client that was refused already may not receive this.
            send($_, "version\n", MSG_NOSIGNAL) for @in;
            push @open, @in;
            receive(0);
        }
        my @all = keys %said;
        until ((@all = keys %said) == $wanted and !grep { !/"exit":0|GONE/ } values %said) {
            die scalar(@all) . " received something" if time > $end;
            receive(0.1);
        }
        my @answered = grep { $said{$_} =~ /"version":.*\n\{"exit":0\}/ } @all;
        my @refused = grep { $said{$_} =~ /"code":"busy".*\n\{"exit":75\}\nGONE/ } @all;
        opendir(my $folder, "/proc/$camera/fd") or die "fd: $!";
        my $descriptors = grep { /^\d/ } readdir($folder);
        my ($client) = grep { defined $said{$_} && $said{$_} =~ /"exit":0/ } @open;
        $said{$client} = "";
        send($client, "press\n", MSG_NOSIGNAL);
        until ($said{$client} =~ /"exit":(\d+)/) {
            die "no answer to a press" if time > $end;
            receive(0.1);
        }
        $said{$client} =~ /"exit":(\d+)/;
        print scalar(@answered), " ", scalar(@refused), " $descriptors $1\n";
        STDOUT->flush();
        # All stay open until the test has seen the photo.
        select(undef, undef, undef, 0.01) until -e "$ARGV[3]" || time > $end;
        """#

    @Test(
        "of 1,000 connections at once, 32 are answered and the others must try again; presses and later clients work")
    func thousand() throws {
        let camera = try CameraProcess()
        try camera.start()
        let before = try camera.descriptorCount()
        let socket = try ControlSocket.path(state: camera.state)
        let script = camera.folder.path + "/clients.pl"
        let seen = camera.folder.path + "/seen"
        try Self.client.write(toFile: script, atomically: true, encoding: .utf8)
        let clients = try camera.background(
            program: "/usr/bin/perl", [script, socket, "\(camera.processIdentifier)", "1000", seen])
        // The photo is taken while all connections are open: nobody else can ask the camera now.
        try camera.wait { try camera.files().count == 1 || !clients.isRunning }
        try Data().write(to: URL(fileURLWithPath: seen))
        let outcome = try clients.outcome()
        #expect(outcome.status == 0, "\(outcome.errors)")
        let counts = outcome.output.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
        try #require(counts.count == 4)
        #expect(counts[0] == 32)
        #expect(counts[1] == 968)
        // Those let in, and one that is just being refused.
        #expect(counts[2] <= before + 33, "\(counts[2]) descriptors, \(before) before")
        #expect(counts[3] == 0)
        try camera.wait { try camera.command("status").status == 0 }
        #expect(try camera.command("list").photos.count == 1)
        #expect(try camera.descriptorCount() <= before + 1)
        #expect(camera.stop() == 0)
    }
}
