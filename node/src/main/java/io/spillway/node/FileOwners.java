// SPDX-License-Identifier: Apache-2.0
package io.spillway.node;

import java.util.Optional;
import org.apache.hadoop.io.nativeio.NativeIO;
import org.apache.hadoop.security.UserGroupInformation;

/**
 * Whether this process can read the owner of an open file. With Hadoop's security it has to: a task
 * may replace its own map output by a link to another user's.
 */
public final class FileOwners {
    private FileOwners() {}

    /** Describes the obstacle; empty where security is off, or where it can read owners. */
    public static Optional<String> obstacle() {
        try {
            return UserGroupInformation.isSecurityEnabled() && !NativeIO.isAvailable()
                    ? Optional.of(noLibrary())
                    : Optional.empty();
        } catch (final IllegalArgumentException e) {
            return Optional.of(
                    "hadoop.security.authentication=kerberos, and this process has no realm ("
                            + e.getMessage()
                            + "): expected /etc/krb5.conf, or another file by"
                            + " -Djava.security.krb5.conf");
        }
    }

    private static String noLibrary() {
        return "hadoop.security.authentication=kerberos, and libhadoop.so is not in"
                + " java.library.path="
                + System.getProperty("java.library.path")
                + ": this process cannot read the owner of an open file. Start it with"
                + " LD_LIBRARY_PATH=$HADOOP_HOME/lib/native";
    }
}
