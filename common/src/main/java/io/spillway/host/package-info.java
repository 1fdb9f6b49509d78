/** The user and the folders of this host's processes. */
package io.spillway.host;
