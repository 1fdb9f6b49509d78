// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.ifile.SegmentCipher;
import java.io.IOException;
import java.security.PrivilegedExceptionAction;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.security.TokenCache;
import org.apache.hadoop.security.Credentials;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Keys in a task's credentials, and the errors about missing and wrong ones. */
class IntermediateEncryptionTest {
    private final JobConf job = new JobConf(false);
    private final Credentials credentials = new Credentials();

    @BeforeEach
    void encrypt() {
        job.setBoolean("mapreduce.job.encrypted-intermediate-data", true);
    }

    private SegmentCipher cipher() throws Exception {
        final UserGroupInformation task = UserGroupInformation.createRemoteUser("task");
        task.addCredentials(credentials);
        return task.doAs(
                (PrivilegedExceptionAction<SegmentCipher>) () -> IntermediateEncryption.of(job));
    }

    @ParameterizedTest
    @ValueSource(ints = {16, 24, 32})
    void keysOfAesEncrypt(final int length) throws Exception {
        TokenCache.setEncryptedSpillKey(new byte[length], credentials);

        assertThat(cipher().headerLength()).isEqualTo(24);
    }

    @Test
    void nothingIsEncryptedThatIsNotAskedFor() throws Exception {
        job.setBoolean("mapreduce.job.encrypted-intermediate-data", false);

        assertThat(cipher()).isSameAs(SegmentCipher.NONE);
    }

    @Test
    void aMissingKeyIsAnErrorThatNamesTheSetting() {
        assertThatThrownBy(this::cipher)
                .isInstanceOf(IOException.class)
                .hasMessage(
                        "mapreduce.job.encrypted-intermediate-data=true: the key in the task's"
                                + " credentials has 0 bytes, expected 16, 24 or 32. The"
                                + " MRAppMaster makes one for each job, of"
                                + " mapreduce.job.encrypted-intermediate-data-key-size-bits bits");
    }

    /** Hadoop gives tasks such a key when a job does not request encryption. */
    @Test
    void aKeyOfAnotherLengthIsAnError() {
        TokenCache.setEncryptedSpillKey(new byte[1], credentials);

        assertThatThrownBy(this::cipher).hasMessageContaining("has 1 bytes");
    }
}
