// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.site;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;

/** Gets resources by HTTP. Implementations are safe for use by several threads. */
@FunctionalInterface
public interface Web {
    /** The largest resource. */
    int MOST_BYTES = 64 << 20;

    /** From this process. */
    Web DIRECT = Web::getDirectly;

    /**
     * Gets one resource, as JSON where there is a choice.
     *
     * @throws FileNotFoundException when the server does not know it
     * @throws IOException when there is no answer, or it is too large
     */
    byte[] get(URI uri) throws IOException;

    private static byte[] getDirectly(final URI uri) throws IOException {
        final HttpURLConnection connection = (HttpURLConnection) uri.toURL().openConnection();
        connection.setConnectTimeout(3_000);
        connection.setReadTimeout(30_000);
        connection.setRequestProperty("Accept", "application/json");
        try {
            final int code = connection.getResponseCode();
            if (code == HttpURLConnection.HTTP_NOT_FOUND) {
                throw new FileNotFoundException(uri.toString());
            }
            if (code != HttpURLConnection.HTTP_OK) {
                throw new IOException(uri + ": HTTP " + code);
            }
            try (InputStream body = connection.getInputStream()) {
                final byte[] bytes = body.readNBytes(MOST_BYTES + 1);
                if (bytes.length > MOST_BYTES) {
                    throw new IOException(uri + ": more than " + MOST_BYTES + " bytes");
                }
                return bytes;
            }
        } finally {
            connection.disconnect();
        }
    }
}
