// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.ucx;

import java.util.Map;

final class UcxTcpTransportTest extends UcxTransportTest {
    @Override
    Map<String, String> ucx() {
        return Map.of("spillway.ucx.tls", "tcp", "spillway.protection", "integrity");
    }
}
