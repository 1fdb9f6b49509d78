// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.cds;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.cli.site.JavaCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JvmRecordingTest {
    @TempDir private Path folder;

    @BeforeEach
    void writeOne() throws IOException {
        Files.writeString(
                folder.resolve("container_1.vm"),
                """
                <?xml version='1.0' encoding='UTF-8'?>
                <properties>
                java.vm.version=17.0.15+6
                java.home=/opt/jdk
                java.class.path=/c/pwd:/x/a&amp;b.jar:/x/c.jar
                </properties>
                """);
        Files.writeString(
                folder.resolve("container_1.classes"),
                """
                opened: /opt/jdk/lib/modules
                java.lang.Object source: shared objects file
                org.apache.hadoop.mapred.YarnChild source: file:/x/c.jar
                java.sql.Date source: jrt:/java.sql
                org.apache.X$$Lambda$14/0x0000000800c03000 source: org.apache.X
                java.lang.invoke.LambdaForm$MH/0x0000000800c02000 source: __JVM_LookupDefineClass__
                jdk.proxy2.$Proxy5 source: __dynamic_proxy__
                org.apache.hadoop.mapred.YarnChild source: file:/x/c.jar
                """);
    }

    @Test
    void holdsTheClassesThatArchivesCanHold() throws IOException {
        assertThat(JvmRecording.readAll(folder))
                .containsExactly(
                        new JvmRecording(
                                Path.of("/opt/jdk"),
                                List.of("/c/pwd", "/x/a&b.jar", "/x/c.jar"),
                                List.of(
                                        "java.lang.Object",
                                        "org.apache.hadoop.mapred.YarnChild",
                                        "java.sql.Date")));
    }

    @Test
    void passesOverWhatIsNotWhole() throws IOException {
        Files.writeString(folder.resolve("container_2.vm"), "<?xml");
        Files.writeString(folder.resolve("container_3.classes"), "a.B source: file:/x.jar\n");

        assertThat(JvmRecording.readAll(folder)).hasSize(1);
    }

    /** The JVM's own log, not what this test takes for it. */
    @Test
    void understandsWhatThisJavaWrites() throws IOException {
        final Path own = Files.createDirectory(folder.resolve("own"));
        final String options = JvmRecording.options(own).replace("{{CONTAINER_ID}}", "c_1");
        final JvmRun run =
                JvmRun.quick(
                        List.of(
                                "/bin/sh",
                                "-c",
                                JavaCommand.path() + " " + options + " -cp /x/y.jar:/z -version"));

        assertThat(run.succeeded()).as(run.text()).isTrue();
        assertThat(JvmRecording.readAll(own))
                .singleElement()
                .satisfies(
                        jvm -> {
                            assertThat(jvm.javaHome()).isEqualTo(JavaCommand.home());
                            assertThat(jvm.classPath()).containsExactly("/x/y.jar", "/z");
                            assertThat(jvm.classes())
                                    .contains("java.lang.Object", "java.util.HashMap");
                        });
    }
}
