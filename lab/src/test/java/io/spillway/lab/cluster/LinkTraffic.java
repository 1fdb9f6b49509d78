// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.cluster;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Bytes from one emulated host to another, in a JVM on each. */
final class LinkTraffic {
    private static final int PIECE = 64 << 10;

    private LinkTraffic() {}

    private static List<String> command(final List<String> prefix, final String... arguments) {
        final List<String> command = new ArrayList<>(prefix);
        command.add(Path.of(System.getProperty("java.home"), "bin/java").toString());
        command.addAll(List.of("-Xmx64m", "-cp", System.getProperty("java.class.path")));
        command.add(LinkTraffic.class.getName());
        command.addAll(List.of(arguments));
        return command;
    }

    /**
     * Sends bytes over the link.
     *
     * @param from what goes before a command of the sending host
     * @param to of the receiving host
     * @param address the latter's
     * @return nanoseconds from before the first byte was sent until all had come
     */
    static long nanos(
            final List<String> from, final List<String> to, final String address, final long bytes)
            throws Exception {
        final Process receiver = start(command(to, "receive", String.valueOf(bytes)));
        try (BufferedReader port = receiver.inputReader(StandardCharsets.UTF_8)) {
            final Process sender = start(command(from, "send", address, port.readLine()));
            try (BufferedReader result = sender.inputReader(StandardCharsets.UTF_8)) {
                return Long.parseLong(result.readLine());
            } finally {
                sender.destroyForcibly();
            }
        } finally {
            receiver.destroyForcibly();
        }
    }

    private static Process start(final List<String> command) throws IOException {
        return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    }

    /** Receives so many bytes and answers with one, or sends until it is answered. */
    public static void main(final String[] arguments) throws IOException {
        if (arguments[0].equals("receive")) {
            receive(Long.parseLong(arguments[1]));
        } else {
            send(arguments[1], Integer.parseInt(arguments[2]));
        }
    }

    private static void receive(final long bytes) throws IOException {
        try (ServerSocket server = new ServerSocket(0)) {
            System.out.println(server.getLocalPort());
            System.out.flush();
            try (Socket socket = server.accept();
                    InputStream in = socket.getInputStream();
                    OutputStream out = socket.getOutputStream()) {
                out.write((bytes + "\n").getBytes(StandardCharsets.ISO_8859_1));
                in.skipNBytes(bytes);
                out.write(1);
            }
        }
    }

    private static void send(final String address, final int port) throws IOException {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(address, port));
            final InputStream in = socket.getInputStream();
            final long bytes = Long.parseLong(line(in));
            final OutputStream out = socket.getOutputStream();
            final long begin = System.nanoTime();
            for (long left = bytes; left > 0; left -= PIECE) {
                out.write(new byte[(int) Math.min(left, PIECE)]);
            }
            if (in.read() != 1) {
                throw new IOException("the receiver has ended");
            }
            System.out.println(System.nanoTime() - begin);
        }
    }

    private static String line(final InputStream in) throws IOException {
        final StringBuilder text = new StringBuilder();
        for (int next = in.read(); next != '\n'; next = in.read()) {
            text.append((char) next);
        }
        return text.toString();
    }
}
