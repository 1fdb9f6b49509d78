// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.doctor.host;

import io.spillway.cli.run.Engine;
import io.spillway.cli.site.PlugIn;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A healthy host in a folder, to which a test does what a person may do by mistake. */
final class FakeHost {
    private static final String NODE_MANAGER =
            "org.apache.hadoop.yarn.server.nodemanager.NodeManager";

    private final Path root;
    private final Map<String, String> properties = new TreeMap<>();
    private final List<SiteFacts.Tier> tiers = new ArrayList<>();
    private String stockReason = "";

    FakeHost(final Path root) throws IOException {
        this.root = root;
        properties.putAll(Engine.SPILLWAY.jobProperties());
        properties.put("yarn.nodemanager.aux-services", "mapreduce_shuffle,timeline");
        properties.put(PlugIn.HANDLER_PROPERTY, PlugIn.HANDLER);
        properties.put("mapreduce.shuffle.port", "13562");
        tiers.add(new SiteFacts.Tier("memory", folder("dev/shm").toString(), 1L << 20, "", false));
        write("proc/sys/net/core/somaxconn", "4096");
        write("proc/self/mounts", "/dev/vda / ext4 rw,relatime 0 0\n");
        write("proc/self/limits", "Max open files            65536                65536   files\n");
        write("proc/net/tcp", "  sl  local_address rem_address   st\n" + listening(13562));
        write("run/systemd/seats/seat0", "");
        write("etc/systemd/logind.conf", "[Login]\n#RemoveIPC=yes\n");
        nodeManager(4711, 65536, 120);
    }

    static String listening(final int port) {
        return String.format("   0: 00000000:%04X 00000000:0000 0A 00000000:00000000%n", port);
    }

    FakeHost nodeManager(final long pid, final long openFiles, final int user) throws IOException {
        write("proc/" + pid + "/cmdline", "java\0-Xmx1g\0" + NODE_MANAGER + "\0");
        write("proc/" + pid + "/status", "Name:\tjava\nUid:\t" + user + "\t" + user + "\n");
        write(
                "proc/" + pid + "/limits",
                "Max cpu time              unlimited            unlimited  seconds\n"
                        + "Max open files            "
                        + openFiles
                        + "                 65536       files\n");
        return this;
    }

    FakeHost write(final String file, final String text) throws IOException {
        Files.createDirectories(root.resolve(file).getParent());
        Files.writeString(root.resolve(file), text);
        return this;
    }

    /** A program that is a script of sh. */
    FakeHost command(final String file, final String script) throws IOException {
        write(file, "#!/bin/sh\n" + script + "\n");
        Files.setPosixFilePermissions(
                root.resolve(file), PosixFilePermissions.fromString("rwxr-xr-x"));
        return this;
    }

    Path folder(final String name) throws IOException {
        return Files.createDirectories(root.resolve(name));
    }

    FakeHost set(final String property, final String value) {
        properties.put(property, value);
        return this;
    }

    FakeHost tier(final SiteFacts.Tier tier) {
        tiers.clear();
        tiers.add(tier);
        return this;
    }

    FakeHost stockReason(final String reason) {
        stockReason = reason;
        return this;
    }

    HostFiles files() {
        return new HostFiles(root);
    }

    SiteFacts site() {
        return new SiteFacts("3.5.0", properties, stockReason, tiers);
    }
}
