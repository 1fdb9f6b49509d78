// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.job;

import io.spillway.ifile.EncryptedSegments;
import io.spillway.ifile.SegmentCipher;
import java.io.IOException;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.crypto.CipherSuite;
import org.apache.hadoop.fs.CommonConfigurationKeysPublic;
import org.apache.hadoop.mapreduce.CryptoUtils;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.security.TokenCache;
import org.apache.hadoop.security.UserGroupInformation;

/** The cipher of a job's intermediate data, from its configuration and its task's credentials. */
public final class IntermediateEncryption {
    private static final String SUITE =
            CommonConfigurationKeysPublic.HADOOP_SECURITY_CRYPTO_CIPHER_SUITE_KEY;

    private IntermediateEncryption() {}

    /**
     * Returns the cipher with which a task of the job stores segments.
     *
     * @throws IOException when segments have to be encrypted, and the task has no key, no AES key,
     *     or no such cipher
     */
    public static SegmentCipher of(final Configuration conf) throws IOException {
        if (!CryptoUtils.isEncryptedSpillEnabled(conf)) {
            return SegmentCipher.NONE;
        }
        final byte[] key =
                TokenCache.getEncryptedSpillKey(
                        UserGroupInformation.getCurrentUser().getCredentials());
        final int length = key == null ? 0 : key.length;
        if (!EncryptedSegments.KEY_LENGTHS.contains(length)) {
            throw new IOException(
                    MRJobConfig.MR_ENCRYPTED_INTERMEDIATE_DATA
                            + "=true: the key in the task's credentials has "
                            + length
                            + " bytes, expected 16, 24 or 32. The MRAppMaster makes one for each"
                            + " job, of "
                            + MRJobConfig.MR_ENCRYPTED_INTERMEDIATE_DATA_KEY_SIZE_BITS
                            + " bits");
        }
        return new EncryptedSegments(
                conf,
                key,
                "; it is encrypted ("
                        + MRJobConfig.MR_ENCRYPTED_INTERMEDIATE_DATA
                        + "=true): it is damaged, or was encrypted with another key than this"
                        + " task's");
    }

    /** Returns why Spillway cannot encrypt a job's data as Hadoop does; empty where it can. */
    static Optional<String> reasonOfSuite(final Configuration conf) {
        final String aes = CipherSuite.AES_CTR_NOPADDING.getName();
        final String suite = conf.get(SUITE, aes);
        return CryptoUtils.isEncryptedSpillEnabled(conf) && !aes.equals(suite)
                ? Optional.of(
                        MRJobConfig.MR_ENCRYPTED_INTERMEDIATE_DATA
                                + "=true with "
                                + SUITE
                                + "="
                                + suite
                                + ", expected "
                                + aes)
                : Optional.empty();
    }
}
