// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.install;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.cli.failure.BadInputException;
import java.util.List;
import java.util.stream.Collectors;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

class SiteXmlTest {
    private static SiteXml of(final String text) {
        return SiteXml.of("yarn-site.xml", text);
    }

    private static String value(final SiteXml site, final String name) {
        return site.definitions(name).get(0).value();
    }

    @Example
    void findsNoPropertiesInCommentsCdataAndInstructions() {
        final SiteXml site =
                of(
                        """
                        <?xml version="1.0"?>
                        <?xml-stylesheet type="text/xsl" href="a>b.xsl"?>
                        <!-- <property><name>a</name><value>comment</value></property> -->
                        <configuration xmlns:xi='http://www.w3.org/2001/XInclude'>
                          <property>
                            <name> a </name>
                            <!-- <value>no</value> -->
                            <value>one &amp; <![CDATA[</value>]]></value><final>true</final>
                          </property>
                          <property name="b" value="two > 1"/>
                          <property><name>c</name><value/><description>why</description></property>
                        </configuration>
                        <!-- </configuration> -->
                        """);
        assertThat(value(site, "a")).isEqualTo("one & </value>");
        assertThat(site.definitions("a").get(0).isFinal()).isTrue();
        assertThat(site.definitions("a").get(0).line()).isEqualTo(5);
        assertThat(value(site, "b")).isEqualTo("two > 1");
        assertThat(value(site, "c")).isEmpty();
        assertThat(site.hasInclude()).isFalse();

        assertThat(site.definitions("b").get(0).place()).as("an attribute").isEmpty();

        final SiteXml changed = site.with("a", "x<y").with("c", "4").with("d", "5");
        assertThat(value(changed, "a")).isEqualTo("x<y");
        assertThat(value(changed, "c")).isEqualTo("4");
        assertThat(value(changed, "d")).isEqualTo("5");
        assertThat(changed.text())
                .contains("<value>x&lt;y</value><final>true</final>")
                .contains("<value>comment</value>", "<!-- <value>no</value> -->")
                .contains("<value>4</value><description>why</description>")
                .endsWith(
                        """
                          <property>
                            <name>d</name>
                            <value>5</value>
                          </property>
                        </configuration>
                        <!-- </configuration> -->
                        """);
    }

    @Example
    void keepsLineEndsAndBytesOfOtherEncodings() {
        final SiteXml site =
                of(
                        "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>\r\n"
                                + "<configuration><!-- \u00e4 -->\r\n</configuration>");
        assertThat(site.with("a", "1").text())
                .contains("<!-- \u00e4 -->\r\n  <property>\r\n    <name>a</name>\r\n")
                .endsWith("  </property>\r\n</configuration>");
        assertThat(of("<configuration></configuration>").with("a", "1").text())
                .isEqualTo(
                        "<configuration>\n  <property>\n    <name>a</name>\n"
                                + "    <value>1</value>\n  </property>\n</configuration>");
    }

    @Example
    void refusesWhatIsNotAConfigurationFile() {
        assertThatThrownBy(() -> of("<configuration>\n<property>\n</configuration>"))
                .isInstanceOf(BadInputException.class)
                .hasMessageStartingWith("yarn-site.xml:3: does not parse:")
                .hasMessageContaining("Mend it first");
        assertThatThrownBy(() -> of("")).hasMessageContaining("does not parse");
        assertThatThrownBy(() -> of("<site/>")).hasMessageContaining("expected <configuration>");
        assertThatThrownBy(
                        () ->
                                of(
                                        "<!DOCTYPE c [<!ENTITY x \"y\">]>"
                                                + "<configuration>&x;</configuration>"))
                .hasMessageContaining("without a DOCTYPE");
        assertThat(
                        of("<configuration xmlns:xi=\"http://www.w3.org/2001/XInclude\">"
                                        + "<xi:include href=\"x.xml\"/></configuration>")
                                .hasInclude())
                .isTrue();
    }

    @Provide
    Arbitrary<String> pieces() {
        final Arbitrary<String> filler =
                Arbitraries.of(
                        "\n",
                        "  ",
                        "<!-- <property> -->",
                        "<!-- </configuration> > \" ' -->",
                        "<property><name>n</name><value><![CDATA[<value>]]></value></property>",
                        "<property name='o' value='<![CDATA['/>".replace("<", "&lt;"),
                        "<property><name>p</name><description>a > b</description></property>",
                        "<xi:include href=\"a/b.xml\"><xi:fallback/></xi:include>");
        return filler.list().ofMaxSize(12).map(all -> String.join("", all));
    }

    @Property
    void changesAPropertyAndNothingElse(
            @ForAll("pieces") final String before, @ForAll("pieces") final String after) {
        final String open = "<configuration xmlns:xi=\"http://www.w3.org/2001/XInclude\">";
        final String own = "<property><name>own</name><value>%s</value></property>";
        final SiteXml site = of(open + before + own.formatted("1") + after + "</configuration>");

        assertThat(site.with("own", "2").text())
                .isEqualTo(open + before + own.formatted("2") + after + "</configuration>");
        final SiteXml added = site.with("new", "3");
        assertThat(value(added, "new")).isEqualTo("3");
        assertThat(value(added, "own")).isEqualTo("1");
        final List<String> added4 =
                added.text().lines().filter(line -> !site.text().contains(line)).toList();
        assertThat(added4.stream().collect(Collectors.joining())).contains("<name>new</name>");
    }
}
