/** What tests do with the host that they run on. */
package io.spillway.host;
