// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.job;

import io.netty.util.NetUtil;
import io.spillway.transport.tcp.ClientTls;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.security.GeneralSecurityException;
import java.security.cert.Certificate;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.security.ssl.SSLFactory;

/**
 * TLS of a reducer's connections to shuffle ports, as {@code ssl-client.xml} sets it up for stock's
 * reducers. Thread-safe.
 */
public final class ShuffleTls implements ClientTls {
    /** Of an address among the names in a certificate (RFC 5280). */
    private static final int ADDRESS = 7;

    private final SSLFactory factory;

    private ShuffleTls(final SSLFactory factory) {
        this.factory = factory;
    }

    /** Whether shuffle ports have TLS, as a NodeManager or a job is set. */
    public static boolean isSetIn(final Configuration conf) {
        return conf.getBoolean(
                MRConfig.SHUFFLE_SSL_ENABLED_KEY, MRConfig.SHUFFLE_SSL_ENABLED_DEFAULT);
    }

    /**
     * Sets TLS up.
     *
     * @return nothing for a job without TLS
     * @throws IOException where the trust store, or another setting, cannot be used
     */
    public static Optional<ShuffleTls> of(final Configuration conf) throws IOException {
        if (!isSetIn(conf)) {
            return Optional.empty();
        }
        final SSLFactory factory = new SSLFactory(SSLFactory.Mode.CLIENT, conf);
        try {
            factory.init();
            final ShuffleTls tls = new ShuffleTls(factory);
            final SSLEngine unused = tls.newEngine();
            return Optional.of(tls);
        } catch (final GeneralSecurityException | IOException | RuntimeException e) {
            factory.destroy();
            throw new IOException(
                    MRConfig.SHUFFLE_SSL_ENABLED_KEY
                            + "=true, but TLS cannot be set up from "
                            + conf.get(
                                    SSLFactory.SSL_CLIENT_CONF_KEY,
                                    SSLFactory.SSL_CLIENT_CONF_DEFAULT)
                            + " ("
                            + SSLFactory.SSL_CLIENT_CONF_KEY
                            + "): "
                            + e.getMessage()
                            + "; that file has to be on the class path of tasks, and the stores"
                            + " that it names on every host",
                    e);
        }
    }

    /** Gives an HTTPS connection these keys and this check of names; others stay as they are. */
    public void configure(final HttpURLConnection connection) throws IOException {
        factory.configure(connection);
    }

    @Override
    public SSLEngine newEngine() {
        try {
            return factory.createSSLEngine();
        } catch (final GeneralSecurityException | IOException e) {
            throw new IllegalStateException("no engine of TLS: " + e.getMessage(), e);
        }
    }

    /** As for HTTPS: the JDK looks for addresses, Hadoop's verifiers for names only. */
    @Override
    public boolean isOf(final String host, final SSLSession session) {
        return hasAddress(host, session) || factory.getHostnameVerifier().verify(host, session);
    }

    private static boolean hasAddress(final String host, final SSLSession session) {
        final byte[] address = NetUtil.createByteArrayFromIpAddressString(host);
        return address != null
                && alternativeNames(session).stream()
                        .filter(name -> name.get(0).equals(ADDRESS))
                        .map(name -> String.valueOf(name.get(1)))
                        .map(NetUtil::createByteArrayFromIpAddressString)
                        .anyMatch(named -> Arrays.equals(named, address));
    }

    private static Collection<List<?>> alternativeNames(final SSLSession session) {
        try {
            final Certificate[] chain = session.getPeerCertificates();
            final Collection<List<?>> names =
                    chain[0] instanceof X509Certificate own
                            ? own.getSubjectAlternativeNames()
                            : null;
            return names == null ? List.of() : names;
        } catch (final SSLPeerUnverifiedException | CertificateParsingException e) {
            return List.of();
        }
    }

    /** Ends the watch over the files of the stores. */
    @Override
    public void close() {
        factory.destroy();
    }
}
