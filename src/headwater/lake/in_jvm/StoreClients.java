package headwater;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.net.URI;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;

/** The clients of stores that Hadoop keeps, one for each bucket. */
public class StoreClients {
  /**
   * Have Hadoop keep a new client with these settings, and return the one that it kept.
   *
   * Who reads with that one goes on. Hadoop itself forgets a client only when it is closed.
   */
  public FileSystem renew(URI bucket, Configuration settings) throws Exception {
    FileSystem old = FileSystem.get(bucket, settings);
    Object key = hidden("key").get(old);
    Object kept = hidden("CACHE").get(null);
    Method remove =
        kept.getClass().getDeclaredMethod("remove", new Class[] {key.getClass(), FileSystem.class});
    remove.setAccessible(true);
    // Nobody else may make a client in between: it would not have these settings.
    synchronized (kept) {
      remove.invoke(kept, new Object[] {key, old});
      FileSystem.get(bucket, settings);
    }
    return old;
  }

  private static Field hidden(String name) throws Exception {
    Field field = FileSystem.class.getDeclaredField(name);
    field.setAccessible(true);
    return field;
  }
}
