// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.transport.NodeAddress;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.NullAndEmptySource;
import org.junit.jupiter.params.provider.ValueSource;

class ShuffleUrlTest {
    @ParameterizedTest
    @CsvSource({
        "http://host:13562, host, 13562",
        "http://host:13562/, host, 13562",
        "https://node-1.example.org:1, node-1.example.org, 1",
        "http://rack_1_node_2.example.org:65535, rack_1_node_2.example.org, 65535",
        "http://10.0.0.1:13562, 10.0.0.1, 13562",
        "http://[::1]:13562, [::1], 13562",
        "http://-host-:0, -host-, 0",
    })
    void splitsHostAndPort(final String url, final String host, final int port) {
        final ShuffleUrl parsed = ShuffleUrl.parse(url);

        assertThat(parsed.address()).isEqualTo(new NodeAddress(host, port));
        assertThat(parsed.base()).isEqualTo(url.replaceFirst("/$", ""));
    }

    @Test
    void anAddressInBracketsCanBeConnectedTo() {
        final NodeAddress address = ShuffleUrl.parse("http://[::1]:13562").address();

        assertThat(new InetSocketAddress(address.host(), address.port()).isUnresolved()).isFalse();
    }

    @ParameterizedTest
    @NullAndEmptySource
    @ValueSource(
            strings = {
                "http://host:-1",
                "http://host:65536",
                "http://host",
                "http://:13562",
                "host:13562",
                "http://a b:13562",
                "http://user@host:13562",
            })
    void whatIsNoAddressCannotBeResolved(final String url) {
        final NodeAddress address = ShuffleUrl.parse(url).address();

        assertThat(new InetSocketAddress(address.host(), address.port()).isUnresolved()).isTrue();
    }
}
