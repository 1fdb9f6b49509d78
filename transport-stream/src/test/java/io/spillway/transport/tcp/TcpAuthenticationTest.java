// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.tcp;

final class TcpAuthenticationTest extends TcpTransportTest {
    @Override
    String protection() {
        return "authentication";
    }
}
