package io.spillway.bench.failure;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.bench.run.JobFigures;
import io.spillway.report.ShuffleCounter;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Collections;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** An upgrade: the plug-in's jar gets another content while NodeManagers and a job run with it. */
@Tag(FailureSite.TAG)
@ExtendWith(OnFailureSite.class)
class JarReplacedIT {
    private final FailureSite site;

    JarReplacedIT(final FailureSite site) {
        this.site = site;
    }

    /** As package managers do it, and as the documentation asks for: by a rename. */
    @Test
    void jobsGoOnWhenTheJarIsReplacedUnderRunningNodeManagers() throws Exception {
        final Map<String, String> properties =
                Map.of(
                        "mapreduce.job.reduce.slowstart.completedmaps",
                        "1.0",
                        "spillway.shuffle.buffer.bytes",
                        "1m");
        final Path jar = site.cluster().plugIn().engine();
        final Path former = Files.copy(jar, site.newPath("former.jar"));
        try (RunningJob job = RunningJob.withLastMapHeld(site, properties)) {
            job.awaitMapOutputs();
            replace(jar, repacked(former));
            job.openGate();
            assertServed(site.figures(job.awaitSameOutputAsStock()));
            site.cluster().daemons().killNodeManager(SiteNodeProcess.NODE);
            site.cluster().daemons().restartNodeManager(SiteNodeProcess.NODE);
            assertServed(site.runAndCompare(Map.of()));
        } finally {
            replace(jar, former);
        }
    }

    private static void assertServed(final JobFigures figures) {
        assertThat(Figures.of(figures, ShuffleCounter.FETCH_SPILLWAY_BYTES)).isPositive();
        Figures.assertNothingLost(figures);
    }

    private static void replace(final Path jar, final Path by) throws IOException {
        final Path beside = jar.resolveSibling(jar.getFileName() + ".new");
        Files.copy(by, beside, StandardCopyOption.REPLACE_EXISTING);
        Files.move(beside, jar, StandardCopyOption.ATOMIC_MOVE);
    }

    /** The same classes, none of them where it was in the file. */
    private Path repacked(final Path jar) throws IOException {
        final Path target = site.newPath("later.jar");
        try (JarFile in = new JarFile(jar.toFile());
                ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(target))) {
            out.setMethod(ZipOutputStream.STORED);
            for (final JarEntry entry : Collections.list(in.entries())) {
                final byte[] content;
                try (InputStream bytes = in.getInputStream(entry)) {
                    content = bytes.readAllBytes();
                }
                final CRC32 checksum = new CRC32();
                checksum.update(content);
                final ZipEntry copy = new ZipEntry(entry.getName());
                copy.setSize(content.length);
                copy.setCrc(checksum.getValue());
                out.putNextEntry(copy);
                out.write(content);
                out.closeEntry();
            }
        }
        return target;
    }
}
