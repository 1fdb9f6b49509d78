package io.spillway.bench.hosts;

import io.spillway.bench.site.Web;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.FileDescriptor;
import java.io.FileNotFoundException;
import java.io.FileOutputStream;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;

/**
 * Gets resources by HTTP for a process that is in another network: it reads addresses from its
 * standard input, and ends with it.
 */
public final class HostWebMain {
    static final byte FOUND = 0;
    static final byte NOT_FOUND = 1;
    static final byte FAILED = 2;

    private HostWebMain() {}

    /** Answers until the input ends. */
    public static void main(final String[] arguments) throws IOException {
        final DataInputStream in = new DataInputStream(System.in);
        final DataOutputStream out = new DataOutputStream(new FileOutputStream(FileDescriptor.out));
        try {
            while (true) {
                answer(in.readUTF(), out);
            }
        } catch (final EOFException e) {
            out.flush(); // the other side has ended, as we do now
        }
    }

    private static void answer(final String uri, final DataOutputStream out) throws IOException {
        byte kind = FOUND;
        byte[] body;
        try {
            body = Web.DIRECT.get(URI.create(uri));
        } catch (final FileNotFoundException e) {
            kind = NOT_FOUND;
            body = text(e);
        } catch (final IOException e) {
            kind = FAILED;
            body = text(e);
        }
        out.writeByte(kind);
        out.writeInt(body.length);
        out.write(body);
        out.flush();
    }

    private static byte[] text(final IOException failure) {
        return String.valueOf(failure.getMessage()).getBytes(StandardCharsets.UTF_8);
    }
}
