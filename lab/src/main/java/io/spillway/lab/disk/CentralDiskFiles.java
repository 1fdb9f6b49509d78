// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.disk;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.util.Progressable;
import org.apache.hadoop.util.StringUtils.TraditionalBinaryPrefix;

/**
 * Local files. A job's tasks write theirs as fast as a {@link CentralDisk} takes them; all other
 * writing, and all reading, has the local disk's speed. For the client of a parallel file system
 * keeps a copy of what its host has written. So the emulated disk is kinder than a real one.
 * Thread-safe as its super class.
 */
final class CentralDiskFiles extends RawLocalFileSystem {
    /** YARN's folder for what containers write; spills, map outputs and merges lie there. */
    private static final String TASK_FILES = "/usercache/";

    private DiskClock clock;

    @Override
    public void initialize(final URI uri, final Configuration conf) throws IOException {
        super.initialize(uri, conf);
        final String path = conf.get(CentralDisk.CLOCK);
        if (path == null) {
            throw new IllegalArgumentException(
                    CentralDisk.CLOCK + " is not set: expected a file's path");
        }
        // Tasks of stock Hadoop have no jar of ours but the one with this class.
        final long rate =
                TraditionalBinaryPrefix.string2long(
                        conf.get(CentralDisk.RATE, CentralDisk.DEFAULT_RATE));
        final CentralDisk disk = new CentralDisk(rate, Path.of(path));
        clock = new DiskClock(disk.clock(), disk.bytesPerSecond());
    }

    @Override
    public FSDataOutputStream create(
            final org.apache.hadoop.fs.Path path,
            final boolean overwrite,
            final int bufferSize,
            final short replication,
            final long blockSize,
            final Progressable progress)
            throws IOException {
        return limited(
                path, super.create(path, overwrite, bufferSize, replication, blockSize, progress));
    }

    @Override
    public FSDataOutputStream create(
            final org.apache.hadoop.fs.Path path,
            final FsPermission permission,
            final boolean overwrite,
            final int bufferSize,
            final short replication,
            final long blockSize,
            final Progressable progress)
            throws IOException {
        return limited(
                path,
                super.create(
                        path, permission, overwrite, bufferSize, replication, blockSize, progress));
    }

    private FSDataOutputStream limited(
            final org.apache.hadoop.fs.Path path, final FSDataOutputStream out) throws IOException {
        return path.toUri().getPath().contains(TASK_FILES)
                ? new FSDataOutputStream(new DiskOutput(out, clock), null)
                : out;
    }
}
