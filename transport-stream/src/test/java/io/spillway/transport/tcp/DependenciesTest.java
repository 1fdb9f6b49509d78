package io.spillway.transport.tcp;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

final class DependenciesTest {
    @Test
    void usesCoreTheStreamsNettyAndTheLoggerOnly() {
        final JavaClasses tested = new ClassFileImporter().importPath(Path.of("target", "classes"));
        classes()
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        "io.spillway.transport..",
                        "io.spillway.stream..",
                        "io.spillway.bootstrap..",
                        "io.spillway.protocol..",
                        "io.spillway.wire..",
                        "io.spillway.conf..",
                        "io.spillway.store.tier..",
                        "io.netty..",
                        "org.slf4j..",
                        "java..")
                .check(tested);
    }
}
