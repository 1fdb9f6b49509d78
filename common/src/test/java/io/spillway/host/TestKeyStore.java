// SPDX-License-Identifier: Apache-2.0
package io.spillway.host;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * A key and its own certificate in a file, which stands for a key store and for a trust store. Made
 * by the JDK's keytool.
 *
 * @param file of type {@link #TYPE}
 */
public record TestKeyStore(Path file) {
    /** Of the file. */
    public static final String TYPE = "PKCS12";

    /** Of the file and of the key. */
    public static final String PASSWORD = "changeit";

    /**
     * Makes a key.
     *
     * @param file to write
     * @param names such as {@code dns:localhost,ip:127.0.0.1}
     */
    public static TestKeyStore make(final Path file, final String names)
            throws IOException, InterruptedException {
        final Process keytool =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin/keytool").toString(),
                                "-genkeypair",
                                "-alias",
                                "node",
                                "-keyalg",
                                "EC",
                                "-groupname",
                                "secp256r1",
                                "-dname",
                                "CN=Test",
                                "-ext",
                                "san=" + names,
                                "-storetype",
                                TYPE,
                                "-storepass",
                                PASSWORD,
                                "-keystore",
                                file.toString())
                        .redirectErrorStream(true)
                        .start();
        keytool.getOutputStream().close();
        final String output =
                new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (!keytool.waitFor(1, TimeUnit.MINUTES) || keytool.exitValue() != 0) {
            throw new IOException("keytool failed: " + output);
        }
        return new TestKeyStore(file);
    }

    /** A context that has this key, and trusts it. */
    public SSLContext context() throws GeneralSecurityException, IOException {
        final KeyStore store = KeyStore.getInstance(TYPE);
        try (InputStream in = Files.newInputStream(file)) {
            store.load(in, PASSWORD.toCharArray());
        }
        final KeyManagerFactory keys =
                KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(store, PASSWORD.toCharArray());
        final TrustManagerFactory trusted =
                TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trusted.init(store);
        final SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), trusted.getTrustManagers(), null);
        return context;
    }
}
