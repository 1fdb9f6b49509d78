// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.http;

import io.spillway.engine.reduce.segment.Node;
import io.spillway.hadoop.job.HttpAgent;
import io.spillway.transport.tcp.TlsFailure;
import java.io.BufferedInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.URL;
import java.util.Collection;
import java.util.function.LongSupplier;
import javax.net.ssl.SSLException;
import org.apache.hadoop.mapreduce.security.SecureShuffleUtils;
import org.apache.hadoop.mapreduce.task.reduce.ShuffleHeader;

/**
 * The connection of one request to a stock shuffle handler, authenticated in both directions. Owned
 * by the request's thread, but for {@link #disconnect} and {@link #lastActivityMillis}.
 */
final class HttpConnection {
    private static final int STREAM_BUFFER = 64 << 10;
    private static final int TOO_MANY_REQUESTS = 429;
    private static final long DEFAULT_RETRY_AFTER_MILLIS = 1000;
    private static final int MAX_CONNECT_MILLIS = 60_000;

    private final HttpSettings settings;
    private final Node node;
    private final LongSupplier now;
    private volatile HttpURLConnection connection;
    private volatile long lastActivityMillis;

    HttpConnection(final HttpSettings settings, final Node node, final LongSupplier now) {
        this.settings = settings;
        this.node = node;
        this.now = now;
        this.lastActivityMillis = now.getAsLong();
    }

    /** Closes the connection. Blocks while it is read. Any thread. */
    void disconnect() {
        final HttpURLConnection open = connection;
        if (open != null) {
            open.disconnect();
        }
    }

    /** When it last began something, or bytes came. Any thread. */
    long lastActivityMillis() {
        return lastActivityMillis;
    }

    /**
     * Asks for the segments of some map attempts.
     *
     * @return the reply's body; null when the node refused for now: {@link #retryAfterMillis}
     */
    InputStream open(final Collection<String> attempts) throws IOException {
        lastActivityMillis = now.getAsLong();
        final URL url = url(attempts);
        final String message = SecureShuffleUtils.buildMsgFrom(url);
        final String hash = SecureShuffleUtils.hashFromString(message, settings.secret());
        final HttpURLConnection opened = (HttpURLConnection) url.openConnection();
        connection = opened;
        opened.addRequestProperty(SecureShuffleUtils.HTTP_HEADER_URL_HASH, hash);
        opened.addRequestProperty(HttpAgent.HEADER, HttpAgent.VALUE);
        opened.addRequestProperty(
                ShuffleHeader.HTTP_HEADER_NAME, ShuffleHeader.DEFAULT_HTTP_HEADER_NAME);
        opened.addRequestProperty(
                ShuffleHeader.HTTP_HEADER_VERSION, ShuffleHeader.DEFAULT_HTTP_HEADER_VERSION);
        opened.setConnectTimeout(Math.min(settings.connectMillis(), MAX_CONNECT_MILLIS));
        opened.setReadTimeout(settings.readMillis());
        connect(opened);
        final int status = opened.getResponseCode();
        if (status == TOO_MANY_REQUESTS) {
            return null;
        }
        verify(opened, status, url, hash);
        return new BufferedInputStream(new NotingStream(opened.getInputStream()), STREAM_BUFFER);
    }

    private void connect(final HttpURLConnection opened) throws IOException {
        if (settings.tls().isEmpty()) {
            opened.connect();
            return;
        }
        settings.tls().get().configure(opened);
        try {
            opened.connect();
        } catch (final SSLException e) {
            throw TlsFailure.of(node.address, e);
        }
    }

    /** When a node that refused is to be asked again. */
    long retryAfterMillis() {
        final long millis =
                connection.getHeaderFieldLong("Retry-After", DEFAULT_RETRY_AFTER_MILLIS);
        return millis < 0 ? DEFAULT_RETRY_AFTER_MILLIS : millis;
    }

    private URL url(final Collection<String> attempts) throws IOException {
        return URI.create(
                        node.baseUrl()
                                + "/mapOutput?job="
                                + settings.job()
                                + "&reduce="
                                + settings.shuffle().partition
                                + "&map="
                                + String.join(",", attempts))
                .toURL();
    }

    private void verify(
            final HttpURLConnection opened, final int status, final URL url, final String hash)
            throws IOException {
        if (status != HttpURLConnection.HTTP_OK) {
            throw new IOException(
                    "Got invalid response code "
                            + status
                            + " from "
                            + url
                            + ": "
                            + opened.getResponseMessage());
        }
        final String name = opened.getHeaderField(ShuffleHeader.HTTP_HEADER_NAME);
        final String version = opened.getHeaderField(ShuffleHeader.HTTP_HEADER_VERSION);
        if (!ShuffleHeader.DEFAULT_HTTP_HEADER_NAME.equals(name)
                || !ShuffleHeader.DEFAULT_HTTP_HEADER_VERSION.equals(version)) {
            throw new IOException(
                    "Incompatible shuffle response from "
                            + node.address
                            + ": name="
                            + name
                            + " version="
                            + version);
        }
        final String reply = opened.getHeaderField(SecureShuffleUtils.HTTP_HEADER_REPLY_URL_HASH);
        if (reply == null) {
            throw new IOException("security validation of TT Map output failed: " + node.address);
        }
        SecureShuffleUtils.verifyReply(reply, hash, settings.secret());
    }

    /** Notes when bytes come. */
    private final class NotingStream extends FilterInputStream {
        NotingStream(final InputStream in) {
            super(in);
        }

        @Override
        public int read(final byte[] bytes, final int offset, final int length) throws IOException {
            final int count = super.read(bytes, offset, length);
            lastActivityMillis = now.getAsLong();
            return count;
        }
    }
}
