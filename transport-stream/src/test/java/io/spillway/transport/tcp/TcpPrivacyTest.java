// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.tcp;

final class TcpPrivacyTest extends TcpTransportTest {
    @Override
    String protection() {
        return "privacy";
    }
}
