// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop;

import io.spillway.host.TestKeyStore;
import java.util.List;
import org.apache.hadoop.conf.Configuration;

/** Puts TLS into a configuration, in place of ssl-server.xml and ssl-client.xml. */
public final class TestTlsConf {
    private TestTlsConf() {}

    /** For a NodeManager that has a key, and for a job that trusts one. */
    public static void set(
            final Configuration conf, final TestKeyStore key, final TestKeyStore trusted) {
        conf.setBoolean("mapreduce.shuffle.ssl.enabled", true);
        for (final String side : List.of("ssl.server.", "ssl.client.")) {
            set(conf, side + "keystore", key);
            set(conf, side + "truststore", trusted);
            conf.set(side + "keystore.keypassword", TestKeyStore.PASSWORD);
        }
    }

    private static void set(final Configuration conf, final String store, final TestKeyStore file) {
        conf.set(store + ".location", file.file().toString());
        conf.set(store + ".password", TestKeyStore.PASSWORD);
        conf.set(store + ".type", TestKeyStore.TYPE);
    }
}
