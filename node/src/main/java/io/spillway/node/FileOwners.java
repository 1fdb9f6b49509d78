// SPDX-License-Identifier: Apache-2.0
package io.spillway.node;

import java.util.Optional;
import org.apache.hadoop.io.nativeio.NativeIO;
import org.apache.hadoop.security.UserGroupInformation;

/**
 * Whether this process can tell whose an open file is. Where Hadoop's security is on it has to: a
 * task may put a link to another user's map output in the place of its own.
 */
public final class FileOwners {
    private FileOwners() {}

    /** What is in the way, in words; nothing where security is off, or owners can be told. */
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
                + ": this process cannot tell whose an open file is. Start it with"
                + " LD_LIBRARY_PATH=$HADOOP_HOME/lib/native";
    }
}
