// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.hosts;

import io.spillway.cli.site.Web;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Gets resources from the daemons of emulated hosts, by a shell among them. It speaks HTTP/1.0,
 * whose answers end with the connection. Thread-safe.
 *
 * @param prefix what goes before a command that is to run there
 * @param environment added to ours
 */
public record HostWeb(Supplier<List<String>> prefix, Map<String, String> environment)
        implements Web {
    private static final String GET =
            """
exec 3<>"/dev/tcp/$0/$1"
printf 'GET %s HTTP/1.0\\r\\nHost: %s\\r\\nAccept: application/json\\r\\n\\r\\n' "$2" "$0:$1" >&3
exec cat <&3
""";

    private static final String PATIENCE_SECONDS = "30";
    private static final String END_OF_HEAD = "\r\n\r\n";
    private static final int HEAD_BYTES = 1 << 16;

    @Override
    public byte[] get(final URI uri) throws IOException {
        final String query = uri.getRawQuery() == null ? "" : "?" + uri.getRawQuery();
        final List<String> command = new ArrayList<>(prefix.get());
        command.addAll(List.of("timeout", PATIENCE_SECONDS, "bash", "-ec", GET, uri.getHost()));
        command.addAll(List.of(String.valueOf(uri.getPort()), uri.getRawPath() + query));
        final ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().putAll(environment);
        builder.redirectError(ProcessBuilder.Redirect.DISCARD);
        final Process process = builder.start();
        try {
            return body(uri, process.getInputStream().readNBytes(HEAD_BYTES + MOST_BYTES));
        } finally {
            process.destroyForcibly();
        }
    }

    /** What follows the head of an answer that is one. */
    static byte[] body(final URI uri, final byte[] answer) throws IOException {
        final int most = Math.min(answer.length, HEAD_BYTES);
        final String text = new String(answer, 0, most, StandardCharsets.ISO_8859_1);
        final int end = text.indexOf(END_OF_HEAD);
        if (end < 0 || !text.matches("(?s)HTTP/1\\.[01] [0-9]{3}\\b.*")) {
            throw new IOException(uri + ": no answer of HTTP");
        }
        final int code = Integer.parseInt(text.split("[ \r]", 3)[1]);
        if (code == HttpURLConnection.HTTP_NOT_FOUND) {
            throw new FileNotFoundException(uri.toString());
        }
        if (code != HttpURLConnection.HTTP_OK) {
            throw new IOException(uri + ": HTTP " + code);
        }
        final int start = end + END_OF_HEAD.length();
        if (answer.length - start > MOST_BYTES) {
            throw new IOException(uri + ": more than " + MOST_BYTES + " bytes");
        }
        return Arrays.copyOfRange(answer, start, answer.length);
    }
}
