/** What a job tells about its shuffle. */
package io.spillway.report;
