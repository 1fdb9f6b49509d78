// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.tcp;

import static io.spillway.conf.Setting.Reader.NODE_PROCESS;

import io.spillway.conf.Setting;
import io.spillway.conf.SettingDeclarations;
import io.spillway.conf.SettingGroup;
import java.util.List;
import java.util.Optional;

/** Settings of the transport over tcp. */
public final class TcpKeys implements SettingGroup {
    private static final SettingDeclarations DECLARE = new SettingDeclarations();

    private static final int MAX_PORT = 65_535;

    /** The port of the node process for tcp. */
    public static final Setting<Optional<Integer>> NODE_TCP_PORT =
            DECLARE.site("spillway.node.tcp.port", NODE_PROCESS)
                    .integerOrAuto(
                            1,
                            MAX_PORT,
                            "Port of the node process for tcp; auto takes any free one.");

    @Override
    public List<Setting<?>> settings() {
        return DECLARE.all();
    }
}
