// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.ucx.worker;

import io.spillway.transport.choice.TransportProvider;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.openucx.jucx.NativeLibs;
import org.openucx.jucx.ucp.UcpContext;
import org.openucx.jucx.ucp.UcpParams;

/** The native library: whether it can be used here, and how it is configured. */
public final class UcxLibrary {
    /** The name of the transport. */
    public static final String TRANSPORT = "ucx";

    private static final String ARCHITECTURE = "amd64";
    private static final Path RDMA_DEVICES = Path.of("/sys/class/infiniband");
    private static final Path LIMITS = Path.of("/proc/self/limits");
    private static final String MEMLOCK = "Max locked memory";
    private static final Set<String> SHARED_MEMORY =
            Set.of("shm", "sm", "mm", "posix", "sysv", "cma", "xpmem", "knem", "self", "loopback");

    /** What the dynamic linker says of a file that may not be executed. */
    private static final String NOT_MAPPED = "failed to map segment";

    private static final String UNLIMITED = "unlimited";

    private static boolean loaded;

    private UcxLibrary() {}

    /** Why it cannot be used, in one line that says what to change. */
    public static Optional<String> obstacle(final UcxSettings settings) {
        final String architecture = System.getProperty("os.arch");
        if (!ARCHITECTURE.equals(architecture)) {
            return Optional.of(
                    "ucx: jucx has no library for os.arch="
                            + architecture
                            + ", expected "
                            + ARCHITECTURE
                            + "; use spillway.transport=tcp");
        }
        return loadFailure().or(() -> memlockTooSmall(settings)).or(() -> contextFailure(settings));
    }

    private static Optional<String> loadFailure() {
        try {
            load();
            return Optional.empty();
        } catch (final IOException e) {
            return Optional.of("ucx: " + e.getMessage());
        } catch (final LinkageError e) {
            return Optional.of(
                    "ucx: libucp cannot be loaded (" + oneLine(e) + "); " + remedy(oneLine(e)));
        }
    }

    /** jucx unpacks its own library into the folder for temporary files. */
    private static String remedy(final String failure) {
        return failure.contains(NOT_MAPPED)
                ? "java.io.tmpdir="
                        + System.getProperty("java.io.tmpdir")
                        + ", expected a folder that is not mounted noexec"
                : "install it (Debian: apt install libucx0; on a cluster: module load ucx, and"
                        + " LD_LIBRARY_PATH for the node and the tasks)";
    }

    private static synchronized void load() throws IOException {
        if (!loaded) {
            JvmSignals.keep(System.getenv(), NativeLibs::load);
            loaded = true;
        }
    }

    /**
     * A registration that exceeds the limit fails late and obscurely; only RDMA devices need it.
     */
    private static Optional<String> memlockTooSmall(final UcxSettings settings) {
        if (!hasRdmaDevice() || !mayUseRdma(settings.tls())) {
            return Optional.empty();
        }
        final Optional<Long> limit = memlock();
        if (limit.isEmpty() || limit.get() >= settings.bufferBytes()) {
            return Optional.empty();
        }
        return Optional.of(
                "ucx: memlock="
                        + limit.get()
                        + ", expected at least spillway.ucx.buffer.bytes="
                        + settings.bufferBytes()
                        + " for the RDMA device; raise it (ulimit -l unlimited, LimitMEMLOCK="
                        + "infinity) or set spillway.ucx.tls=shm,self");
    }

    private static boolean hasRdmaDevice() {
        try (Stream<Path> devices = Files.list(RDMA_DEVICES)) {
            return devices.findAny().isPresent();
        } catch (final IOException e) {
            return false;
        }
    }

    /** Whether a list of UCX's transports holds one of a medium; loads nothing native. */
    public static boolean canUse(final TransportProvider.Medium medium, final String tls) {
        return switch (medium) {
            case SHARED_MEMORY -> mayShareMemory(tls);
            case RDMA -> mayUseRdma(tls);
            case WORLD -> false;
        };
    }

    private static boolean mayShareMemory(final String tls) {
        final List<String> shared = List.of("auto", "all", "shm", "sm", "mm", "posix", "sysv");
        return tls.startsWith("^") || words(tls).stream().anyMatch(shared::contains);
    }

    private static boolean mayUseRdma(final String tls) {
        return words(tls).stream().anyMatch(word -> !isLocal(word));
    }

    private static boolean isLocal(final String transport) {
        return transport.equals("tcp") || SHARED_MEMORY.contains(transport);
    }

    static List<String> words(final String tls) {
        return List.of(tls.toLowerCase(Locale.ROOT).split(",", -1));
    }

    /** The soft limit; nothing where there is none or it cannot be told. */
    private static Optional<Long> memlock() {
        try (Stream<String> lines = Files.lines(LIMITS)) {
            return lines.filter(line -> line.startsWith(MEMLOCK))
                    .map(line -> line.substring(MEMLOCK.length()).trim().split("\\s+", -1)[0])
                    .filter(limit -> !limit.equals(UNLIMITED))
                    .map(Long::valueOf)
                    .findFirst();
        } catch (final IOException | NumberFormatException e) {
            return Optional.empty();
        }
    }

    private static Optional<String> contextFailure(final UcxSettings settings) {
        try {
            newContext(settings).close();
            return Optional.empty();
        } catch (final RuntimeException | LinkageError e) {
            return Optional.of(
                    "ucx: spillway.ucx.tls="
                            + settings.tls()
                            + " spillway.ucx.net-devices="
                            + settings.netDevices()
                            + " give no usable transport ("
                            + oneLine(e)
                            + "); ucx_info -d lists what this host has");
        }
    }

    /** What it means that a peer's worker cannot be connected to, in one line. */
    public static String noWay(final Throwable cause) {
        return "no way to the other side's worker: "
                + oneLine(cause)
                + "; both need a device in common and the same spillway.ucx.tls, which for"
                + " plain sockets must name tcp";
    }

    /** A failure's text without line ends. */
    public static String oneLine(final Throwable cause) {
        return String.valueOf(cause.getMessage()).lines().findFirst().orElse("");
    }

    static UcpContext newContext(final UcxSettings settings) {
        final UcpParams params = new UcpParams().requestAmFeature().requestWakeupFeature();
        UcxConfiguration.options(settings).forEach(params::setConfig);
        if (System.getenv("UCX_LOG_LEVEL") == null) {
            // Every failure comes as an exception or a callback, and is logged by us.
            params.setConfig("LOG_LEVEL", "fatal");
        }
        return new UcpContext(params);
    }
}
