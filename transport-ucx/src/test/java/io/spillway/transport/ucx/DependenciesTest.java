package io.spillway.transport.ucx;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

final class DependenciesTest {
    @Test
    void usesCoreJucxAndTheLoggerOnly() {
        final JavaClasses tested = new ClassFileImporter().importPath(Path.of("target", "classes"));
        classes()
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        "io.spillway.transport",
                        "io.spillway.transport.choice..",
                        "io.spillway.transport.serve..",
                        "io.spillway.transport.ucx..",
                        "io.spillway.bootstrap..",
                        "io.spillway.protocol..",
                        "io.spillway.wire..",
                        "io.spillway.conf..",
                        "io.spillway.report..",
                        "io.spillway.store.tier..",
                        "io.spillway.thread..",
                        "io.spillway.version..",
                        "org.openucx.jucx..",
                        "org.slf4j..",
                        "java..")
                .check(tested);
    }
}
