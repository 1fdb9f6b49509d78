// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.disk;

import org.apache.hadoop.fs.LocalFileSystem;

/** A local file system whose intermediate files lie on a {@link CentralDisk}. */
public final class CentralDiskFileSystem extends LocalFileSystem {
    /** As Hadoop creates it, for {@code fs.file.impl}. */
    public CentralDiskFileSystem() {
        super(new CentralDiskFiles());
    }
}
