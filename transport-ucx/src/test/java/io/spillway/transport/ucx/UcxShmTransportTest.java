// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.ucx;

import java.util.Map;

final class UcxShmTransportTest extends UcxTransportTest {
    @Override
    Map<String, String> ucx() {
        return Map.of(
                "spillway.ucx.tls", "posix,sysv,cma,self", "spillway.protection", "authentication");
    }
}
