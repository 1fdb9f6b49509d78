// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.moosefs;

import io.spillway.cli.failure.BadInputException;
import io.spillway.lab.hosts.SystemTools;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * One MooseFS: the files of its daemons, and the commands that start them in the foreground. A data
 * server refuses a metadata server at a loopback address. Immutable.
 */
public final class MooseFs {
    /** What the metadata server prints when clients may come. */
    public static final String READY = "mfsmaster daemon initialized properly";

    private static final String MASTER = "mfsmaster";
    private static final String SERVER = "mfschunkserver";
    private static final String CLIENT = "mfsmount";
    private static final String COPIES = "mfssetgoal";
    private static final String TRASH = "mfssettrashtime";
    private static final String QUOTA = "mfssetquota";
    private static final String NO_QUOTA = "mfsdelquota";

    private static final String CLIENT_PACKAGE = "moosefs-client";

    private static final Map<String, String> TOOLS =
            Map.of(
                    MASTER, "moosefs-master",
                    SERVER, "moosefs-chunkserver",
                    CLIENT, CLIENT_PACKAGE,
                    COPIES, CLIENT_PACKAGE,
                    TRASH, CLIENT_PACKAGE,
                    QUOTA, CLIENT_PACKAGE,
                    NO_QUOTA, CLIENT_PACKAGE);

    private static final Path FUSE = Path.of("/dev/fuse");

    /** What stands in the file of metadata before a first start. */
    private static final String NO_METADATA = "MFSM NEW";

    /** A full disk of the machine would end more than this file system. */
    private static final String SPACE_LEFT = "256MiB";

    private final Path folder;
    private final String address;

    /**
     * Touches nothing.
     *
     * @param folder of all its files, and of the mount point
     * @param address of the metadata server's host, in digits
     */
    public MooseFs(final Path folder, final String address) {
        this.folder = folder;
        this.address = address;
    }

    /**
     * Checks that it can be started here.
     *
     * @param path the folders of commands, as {@code PATH} has them
     * @throws BadInputException that names what is missing, and how to install it
     */
    public static void require(final String path) {
        final List<String> missing = SystemTools.missing(TOOLS, path);
        if (!missing.isEmpty()) {
            throw new BadInputException(
                    "--shared-fs: missing "
                            + String.join(", ", missing)
                            + ": apt-get install -y --no-install-recommends moosefs-master"
                            + " moosefs-chunkserver moosefs-client; a file system that is mounted"
                            + " already is --shared-fs DIR");
        }
        if (!Files.exists(FUSE)) {
            throw new BadInputException(
                    "--shared-fs: there is no " + FUSE + ": expected the kernel's module fuse");
        }
    }

    /** Where every client mounts it. */
    public Path mountPoint() {
        return folder.resolve("mount");
    }

    /**
     * Writes the files of all daemons, and makes the mount point.
     *
     * @param servers the address of each data server's host, in digits
     */
    public void write(final List<String> servers) throws IOException {
        Files.createDirectories(mountPoint());
        final Path metadata = Files.createDirectories(folder.resolve("metadata"));
        Files.writeString(metadata.resolve("metadata.mfs"), NO_METADATA);
        final Path exports = folder.resolve("exports.cfg");
        Files.writeString(exports, "* / rw,alldirs,admin,maproot=0:0\n");
        writeConf(
                masterConf(),
                metadata,
                Map.of(
                        "EXPORTS_FILENAME", exports.toString(),
                        "MATOML_LISTEN_HOST", address,
                        "MATOCS_LISTEN_HOST", address,
                        "MATOCL_LISTEN_HOST", address));
        for (int server = 0; server < servers.size(); server++) {
            writeServer(server, servers.get(server));
        }
    }

    private void writeServer(final int server, final String own) throws IOException {
        final Path home = Files.createDirectories(folder.resolve("server-" + server));
        final Path chunks = Files.createDirectories(home.resolve("chunks"));
        final Path disks = home.resolve("disks.cfg");
        Files.writeString(disks, chunks + "\n");
        writeConf(
                serverConf(server),
                home,
                Map.of(
                        "HDD_CONF_FILENAME", disks.toString(),
                        "HDD_LEAVE_SPACE_DEFAULT", SPACE_LEFT,
                        "MASTER_HOST", address,
                        "MASTER_RECONNECTION_DELAY", "1",
                        "CSSERV_LISTEN_HOST", own));
    }

    private static void writeConf(
            final Path file, final Path data, final Map<String, String> settings)
            throws IOException {
        final Map<String, String> all = new TreeMap<>(settings);
        all.put("DATA_PATH", data.toString());
        all.put("WORKING_USER", "root");
        all.put("WORKING_GROUP", "root");
        // As all that shares the machine: by default these daemons go before everything else.
        all.put("NICE_LEVEL", "0");
        all.put("DISABLE_OOM_KILLER", "0");
        final StringBuilder text = new StringBuilder();
        all.forEach((name, value) -> text.append(name).append('=').append(value).append('\n'));
        Files.writeString(file, text, StandardCharsets.UTF_8);
    }

    private Path masterConf() {
        return folder.resolve("metadata.cfg");
    }

    private Path serverConf(final int server) {
        return folder.resolve("server-" + server + ".cfg");
    }

    /** Starts the metadata server, after a kill from its log of changes. */
    public List<String> metadataServer() {
        return List.of(MASTER, "-a", "-f", "-c", masterConf().toString(), "start");
    }

    /** Starts a data server. */
    public List<String> dataServer(final int server) {
        return List.of(SERVER, "-f", "-c", serverConf(server).toString(), "start");
    }

    /** Mounts it on the host that this runs on. */
    public List<String> client() {
        return List.of(
                CLIENT,
                "-f",
                mountPoint().toString(),
                "-H",
                address,
                "-o",
                "mfsnice=0,mfsallowoomkiller,mfserroronnospace");
    }

    /**
     * For the first client: one copy of everything, as parallel file systems keep it; what is
     * deleted is gone at once; every user may make folders.
     */
    public List<String> prepare() {
        return script(COPIES + " -r 1 \"$0\" && " + TRASH + " -r 0 \"$0\" && chmod 1777 \"$0\"");
    }

    /** Lets nothing be written any more; what is there can be read and deleted. */
    public List<String> fill() {
        return script(QUOTA + " -S 1 \"$0\"");
    }

    /** Undoes {@link #fill}. */
    public List<String> makeRoom() {
        return script(NO_QUOTA + " -A \"$0\"");
    }

    private List<String> script(final String script) {
        return List.of("sh", "-c", script, mountPoint().toString());
    }
}
