// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.process;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;

/**
 * The style of the status page, and the script that refreshes it. The page's content security
 * policy allows this script by its hash, and requests to the page's own address.
 */
final class PageHead {
    private static final String STYLE =
            """
:root{color-scheme:light dark;--back:#fff;--card:#f5f7f9;--line:#d5dbe1;--text:#1c2733;
 --dim:#5b6b7b;--empty:#e3e8ed}
@media (prefers-color-scheme:dark){:root{--back:#12171c;--card:#1b232b;--line:#33404c;
 --text:#e4eaf0;--dim:#93a3b3;--empty:#2b3641}}
body{font:14px/1.45 system-ui,sans-serif;margin:1.2rem 1.6rem;background:var(--back);
 color:var(--text)}
h1{font-size:1.35rem;margin:0 0 .2rem}h2{font-size:1.05rem;margin:1.4rem 0 .5rem}
p{margin:.2rem 0;color:var(--dim)}
table{border-collapse:collapse}
th,td{padding:.2rem .7rem;border-bottom:1px solid var(--line);text-align:left;
 font-variant-numeric:tabular-nums}
th{color:var(--dim);font-weight:600}td.n,th.n{text-align:right}
.cards{display:flex;flex-wrap:wrap;gap:.7rem;margin:.8rem 0}
.card{background:var(--card);border:1px solid var(--line);border-radius:6px;
 padding:.5rem .9rem;min-width:8rem}
.card b{display:block;font-size:1.25rem}.card span{color:var(--dim)}
.map{display:grid;grid-template-columns:repeat(auto-fill,minmax(14rem,1fr));gap:.6rem}
.tile{background:var(--card);border:1px solid var(--line);border-left:5px solid var(--c);
 border-radius:6px;padding:.45rem .7rem;overflow:hidden}
.tile b,.tile span{display:block;overflow:hidden;text-overflow:ellipsis;
 white-space:nowrap}
.tile span{color:var(--dim);font-size:.86rem}
.tile em{float:right;font-style:normal;font-size:.8rem;color:var(--dim);
 margin-left:.5rem}
.bar{display:flex;height:.75rem;margin:.3rem 0;border-radius:3px;overflow:hidden;
 background:var(--empty)}
.bar i{background:var(--c)}
.bar u{background:repeating-linear-gradient(45deg,var(--c) 0 3px,transparent 3px 6px)}
td .bar{width:9rem;margin:.15rem 0}
.dense{grid-template-columns:repeat(auto-fill,1.15rem);gap:3px}
.dense .tile{height:1.15rem;padding:0;border:0;border-radius:2px;background:var(--c)}
.f0{--c:#2e9e6b}.f1{--c:#8fb33a}.f2{--c:#e0a526}.f3{--c:#d9662c}.full{--c:#c8323a}
.none{--c:#9aa7b3}.late{--c:#7b4fa3}
.late.tile{outline:2px dashed #7b4fa3;outline-offset:-2px}
.key{display:flex;flex-wrap:wrap;gap:1rem;color:var(--dim);font-size:.86rem;
 margin:.6rem 0}
.key i{display:inline-block;width:.8rem;height:.8rem;border-radius:2px;
 background:var(--c);vertical-align:-.1rem;margin-right:.3rem}
summary{cursor:pointer;color:var(--dim);margin:.8rem 0 .3rem}
#stale{display:none;background:#c8323a;color:#fff;padding:.4rem .8rem;border-radius:6px;
 margin-bottom:.8rem}
.stale #stale{display:block}
""";

    /** Takes the page's main part anew; what is unfolded stays so. */
    private static final String SCRIPT =
            """
            (function () {
              var pause = 2000;
              function isOpen(details) { return details.open; }
              function put(text) {
                var page = new DOMParser().parseFromString(text, 'text/html');
                var now = document.querySelector('main'), next = page.querySelector('main');
                Array.from(now.querySelectorAll('details')).filter(isOpen).forEach(function (d) {
                  var same = next.querySelector('#' + d.id);
                  if (same) { same.open = true; }
                });
                now.replaceWith(document.adoptNode(next));
              }
              function load() {
                if (document.hidden) { setTimeout(load, pause); return; }
                fetch('/', {cache: 'no-store'})
                  .then(function (answer) {
                    if (!answer.ok) { throw new Error(answer.status); }
                    return answer.text();
                  })
                  .then(put)
                  .then(function () { document.body.className = ''; })
                  .catch(function () { document.body.className = 'stale'; })
                  .then(function () { setTimeout(load, pause); });
              }
              setTimeout(load, pause);
            })();
            """;

    /** What a browser may do with the page. */
    static final String POLICY =
            "default-src 'none'; style-src 'unsafe-inline'; connect-src 'self'; base-uri 'none';"
                    + " form-action 'none'; frame-ancestors 'none'; script-src 'sha256-"
                    + digest(SCRIPT)
                    + "'";

    private PageHead() {}

    private static String digest(final String text) {
        try {
            final MessageDigest sha = MessageDigest.getInstance("SHA-256");
            return Base64.getEncoder()
                    .encodeToString(sha.digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (final NoSuchAlgorithmException e) {
            throw new IllegalStateException("SHA-256 is missing; every Java has it", e);
        }
    }

    /** All before the page's own content. Without scripts the browser loads the page again. */
    static String begin(final String escapedTitle) {
        return "<!DOCTYPE html><html lang=\"en\"><head><meta charset=\"utf-8\">"
                + "<meta name=\"viewport\" content=\"width=device-width\">"
                + "<noscript><meta http-equiv=\"refresh\" content=\"5\"></noscript><title>"
                + escapedTitle
                + "</title><style>\n"
                + STYLE
                + "</style></head><body><div id=\"stale\">The node process does not answer: what is"
                + " shown below is old.</div><main><h1>"
                + escapedTitle
                + "</h1>\n";
    }

    /** All after it. */
    static String end() {
        return "</main><script>" + SCRIPT + "</script></body></html>\n";
    }
}
