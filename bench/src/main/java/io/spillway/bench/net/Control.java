package io.spillway.bench.net;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/**
 * The connection on which the two processes agree what to do: lines of text, a question and an
 * answer. Used by one thread.
 */
final class Control implements AutoCloseable {
    private static final int MOST_BYTES = 1 << 12;

    private final Socket socket;
    private final InputStream in;
    private final OutputStream out;

    Control(final Socket socket) throws IOException {
        this.socket = socket;
        socket.setTcpNoDelay(true);
        this.in = new BufferedInputStream(socket.getInputStream());
        this.out = socket.getOutputStream();
    }

    /** Asks, and gives the answer. */
    String ask(final String question) throws IOException {
        write(question);
        final String answer = read();
        if (answer == null) {
            throw new EOFException("the serving side has closed, asked for '" + question + "'");
        }
        return answer;
    }

    void write(final String line) throws IOException {
        out.write((line.replace('\n', ' ') + "\n").getBytes(StandardCharsets.UTF_8));
        out.flush();
    }

    /**
     * The next line; null at the end.
     *
     * @throws IOException for one that is too long
     */
    String read() throws IOException {
        final byte[] line = new byte[MOST_BYTES];
        for (int length = 0; length < MOST_BYTES; length++) {
            final int next = in.read();
            if (next < 0) {
                return null;
            }
            if (next == '\n') {
                return new String(line, 0, length, StandardCharsets.UTF_8);
            }
            line[length] = (byte) next;
        }
        throw new IOException("a line of more than " + MOST_BYTES + " bytes");
    }

    Socket socket() {
        return socket;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
