// SPDX-License-Identifier: Apache-2.0
package io.spillway.store.pool;

import io.spillway.version.VersionRange;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Properties;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a node offers to the tasks on its host: folders of files to use again, by tier. The node
 * writes it into each of its local directories, where tasks look for it. It holds as long as the
 * node's process lives: a NodeManager that is started again without Spillway cannot serve what is
 * in the folders. The layout is that of {@link Properties}: {@code process}, {@code epoch}, {@code
 * versions}, {@code TIER.folder} and {@code TIER.limit}, {@code shared}, {@code socket}. Immutable.
 *
 * @param folders by tier
 * @param process the number of the node's process
 * @param epoch the node's incarnation, as it tells its clients; {@link #UNKNOWN_EPOCH} where it is
 *     not said
 * @param versions of the wire protocol that the node speaks: reducers that speak none of them fetch
 *     over stock HTTP, which has no form for sorted runs and for outputs in memory nodes
 * @param shared the directory of a shared file system of which the node serves map outputs
 * @param socket at which tasks of other users than the node's request descriptors of its files
 */
public record TierAdvertisement(
        Map<String, Offer> folders,
        long process,
        long epoch,
        VersionRange versions,
        Optional<Path> shared,
        Optional<Path> socket) {
    /** The file's name in a local directory. */
    public static final String FILE = "spillway.properties";

    private static final Logger LOG = LoggerFactory.getLogger(TierAdvertisement.class);

    /** Of a node that does not say its epoch. */
    public static final long UNKNOWN_EPOCH = 0;

    private static final String PROCESS = "process";
    private static final String EPOCH = "epoch";
    private static final String VERSIONS = "versions";
    private static final String SHARED = "shared";
    private static final String SOCKET = "socket";

    /** Of a node whose file has none: the last release that wrote it so. */
    private static final VersionRange FORMER_VERSIONS = VersionRange.only(12);

    private static final String FOLDER = ".folder";
    private static final String LIMIT = ".limit";

    /**
     * One tier's folder.
     *
     * @param root the root of a {@link FilePool}
     * @param limit its limit, in bytes
     */
    public record Offer(Path root, long limit) {
        /** Checks its arguments. */
        public Offer {
            Objects.requireNonNull(root, "root");
        }
    }

    /** Copies the map. */
    public TierAdvertisement {
        folders = Map.copyOf(folders);
        Objects.requireNonNull(versions, "versions");
        Objects.requireNonNull(shared, "shared");
        Objects.requireNonNull(socket, "socket");
    }

    /** An offer of this process. */
    public static TierAdvertisement of(
            final Map<String, Offer> folders, final VersionRange versions) {
        return new TierAdvertisement(
                folders,
                ProcessHandle.current().pid(),
                UNKNOWN_EPOCH,
                versions,
                Optional.empty(),
                Optional.empty());
    }

    /** An offer of nothing. */
    public static TierAdvertisement none() {
        return new TierAdvertisement(
                Map.of(), 0, UNKNOWN_EPOCH, FORMER_VERSIONS, Optional.empty(), Optional.empty());
    }

    /** The same offer, of a node of this incarnation. */
    public TierAdvertisement withEpoch(final long itsEpoch) {
        return new TierAdvertisement(folders, process, itsEpoch, versions, shared, socket);
    }

    /** The same offer, of a node that serves a directory of a shared file system as well. */
    public TierAdvertisement withShared(final Optional<Path> directory) {
        return new TierAdvertisement(folders, process, epoch, versions, directory, socket);
    }

    /** The same offer, of a node that gives descriptors to tasks of other users as well. */
    public TierAdvertisement withSocket(final Optional<Path> path) {
        return new TierAdvertisement(folders, process, epoch, versions, shared, path);
    }

    /** The folder of a tier, where it is offered, is there and is ours. */
    public Optional<FilePool> folder(final String tier) {
        final Offer offer = folders.get(tier);
        return offer == null ? Optional.empty() : FilePool.existing(offer.root(), offer.limit());
    }

    /** Writes the offer into a local directory, in one step. */
    public void writeTo(final Path localDirectory) throws IOException {
        final Properties properties = new Properties();
        properties.setProperty(PROCESS, Long.toString(process));
        properties.setProperty(EPOCH, Long.toString(epoch));
        properties.setProperty(VERSIONS, versions.oldest() + "-" + versions.newest());
        folders.forEach(
                (tier, offer) -> {
                    properties.setProperty(tier + FOLDER, offer.root().toString());
                    properties.setProperty(tier + LIMIT, Long.toString(offer.limit()));
                });
        shared.ifPresent(directory -> properties.setProperty(SHARED, directory.toString()));
        socket.ifPresent(path -> properties.setProperty(SOCKET, path.toString()));
        final Path partial = localDirectory.resolve(FILE + ".partial");
        try (OutputStream out = Files.newOutputStream(partial)) {
            properties.store(out, "What SpillwayShuffleHandler offers to tasks on this node");
        }
        Files.move(partial, localDirectory.resolve(FILE), StandardCopyOption.ATOMIC_MOVE);
    }

    /**
     * Reads an offer.
     *
     * @return an offer of nothing where there is no file, or the node's process is gone
     * @throws IOException when the file cannot be read or is damaged; the message names it
     */
    public static TierAdvertisement readFrom(final Path localDirectory) throws IOException {
        final Path file = localDirectory.resolve(FILE);
        if (!Files.isRegularFile(file)) {
            return none();
        }
        final Properties properties = new Properties();
        try (InputStream in = Files.newInputStream(file)) {
            properties.load(in);
        }
        final long process = number(file, properties, PROCESS);
        final Map<String, Offer> folders = new TreeMap<>();
        for (final String name : properties.stringPropertyNames()) {
            if (name.endsWith(FOLDER)) {
                final String tier = name.substring(0, name.length() - FOLDER.length());
                folders.put(tier, offer(file, properties, tier));
            }
        }
        final TierAdvertisement found =
                new TierAdvertisement(
                        folders,
                        process,
                        epoch(file, properties),
                        versions(file, properties),
                        Optional.ofNullable(properties.getProperty(SHARED)).map(Path::of),
                        Optional.ofNullable(properties.getProperty(SOCKET)).map(Path::of));
        return ProcessHandle.of(process).isPresent() || found.hasOwner() || found.listens()
                ? found
                : none();
    }

    /**
     * A connection proves that the node lives. With hidepid a task of another user sees neither its
     * process nor its locks.
     */
    private boolean listens() {
        if (socket.isEmpty()) {
            return false;
        }
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            return channel.connect(UnixDomainSocketAddress.of(socket.get()));
        } catch (final IOException e) {
            LOG.debug("No process listens at {}", socket.get(), e);
            return false;
        }
    }

    /** A task in a namespace of processes of its own does not see the node's, but its locks. */
    private boolean hasOwner() {
        return folders.values().stream().anyMatch(offer -> FolderOwner.isHeld(offer.root()));
    }

    private static long epoch(final Path file, final Properties properties) throws IOException {
        return properties.containsKey(EPOCH) ? number(file, properties, EPOCH) : UNKNOWN_EPOCH;
    }

    private static VersionRange versions(final Path file, final Properties properties)
            throws IOException {
        final String text = properties.getProperty(VERSIONS);
        if (text == null) {
            return FORMER_VERSIONS;
        }
        final String[] bounds = text.split("-", 2);
        try {
            return new VersionRange(
                    Integer.parseInt(bounds[0]), Integer.parseInt(bounds[bounds.length - 1]));
        } catch (final IllegalArgumentException e) {
            throw new IOException(
                    file + ": " + VERSIONS + "=" + text + ", expected two numbers as in 12-13", e);
        }
    }

    private static Offer offer(final Path file, final Properties properties, final String tier)
            throws IOException {
        final String folder = properties.getProperty(tier + FOLDER);
        return new Offer(Path.of(folder), number(file, properties, tier + LIMIT));
    }

    private static long number(final Path file, final Properties properties, final String name)
            throws IOException {
        final String text = properties.getProperty(name);
        try {
            return Long.parseLong(text);
        } catch (final NumberFormatException e) {
            throw new IOException(file + ": " + name + "=" + text + ", expected a number", e);
        }
    }
}
